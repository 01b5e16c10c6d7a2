//! The changes from one recipe to another, in a few words: for the list of changes that can be undone.

use std::collections::BTreeMap;

use crate::params::{self, Params, Reading};
use crate::recipe::titles::title_among;
use crate::recipe::{Recipe, Step};
use crate::rules::Rule;

/// The most letters of a value.
const LONGEST: usize = 18;

impl Recipe {
    /// The changes from an earlier state of the recipe, in a few words: "seed 3 → 7", "removed Gaussian".
    pub fn changed_from(&self, before: &Self) -> String {
        change(before, self)
    }
}

fn change(before: &Recipe, after: &Recipe) -> String {
    let mut changes = Vec::new();
    if before.name != after.name {
        changes.push(format!("name: {}", after.name));
    }
    if before.seed != after.seed {
        changes.push(format!("seed {} → {}", before.seed, after.seed));
    }
    if before.size != after.size {
        let (width, depth) = after.size;
        changes.push(format!("size {width} × {depth}"));
    }
    if (before.cell, before.unit) != (after.cell, after.unit) {
        changes.push("extent".to_owned());
    }
    steps(&before.steps, &after.steps, &mut changes);
    numbers("water", &before.water, &after.water, &mut changes);
    numbers("sun", &before.sun, &after.sun, &mut changes);
    numbers("weather", &before.weather, &after.weather, &mut changes);
    if before.texture != after.texture {
        changes.push("texture".to_owned());
    }
    rules(&before.scatter, &after.scatter, &mut changes);
    if before.bare != after.bare {
        changes.push(if after.bare { "bare land" } else { "land with all that stands on it" }.to_owned());
    }
    if before.view != after.view {
        changes.push("view".to_owned());
    }
    if before.bookmarks != after.bookmarks {
        changes.push(list_changed("bookmark", before.bookmarks.len(), after.bookmarks.len()));
    }
    if before.flights != after.flights {
        changes.push(list_changed("flight", before.flights.len(), after.flights.len()));
    }
    if before.about != after.about {
        changes.push("description".to_owned());
    }
    match changes.len() {
        0 => "nothing that is seen".to_owned(),
        1 => changes.remove(0),
        more => format!("{}, and {} more", changes[0], more - 1),
    }
}

fn steps(before: &[Step], after: &[Step], changes: &mut Vec<String>) {
    if before.len() != after.len() {
        let (fewer, more, what) = match before.len() < after.len() {
            true => (before, after, "added"),
            false => (after, before, "removed"),
        };
        let other = (0..more.len()).find(|&index| fewer.get(index) != Some(&more[index])).unwrap_or(0);
        let count = more.len() - fewer.len();
        changes.push(match count {
            1 => format!("{what} {}", title_among(more, other)),
            _ => format!("{what} {count} steps"),
        });
        return;
    }
    let differ: Vec<usize> = (0..after.len()).filter(|&index| before[index] != after[index]).collect();
    let is_moved = differ.len() > 1 && differ.iter().all(|&index| after.contains(&before[index]));
    if let ([one, other], true) = (&differ[..], is_moved) {
        // Which of the two was moved past the other cannot be seen.
        let [one, other] = [one, other].map(|index| title_among(before, *index));
        changes.push(format!("exchanged {one} and {other}"));
        return;
    }
    if is_moved {
        // The one that has gone farthest was moved; the others made room.
        let gone = |index: usize| {
            let to = after.iter().position(|step| *step == before[index]).unwrap_or(index);
            index.abs_diff(to)
        };
        // Reversed, because `max_by_key` takes the last of equals.
        let moved = differ.iter().rev().copied().max_by_key(|&index| gone(index)).unwrap_or(0);
        changes.push(format!("moved {}", title_among(before, moved)));
        return;
    }
    for index in differ {
        let (old, new, title) = (&before[index], &after[index], title_among(after, index));
        if old.name() == new.name() {
            numbers(&title, old, new, changes);
        } else {
            changes.push(format!("{title} in place of {}", old.title()));
        }
    }
}

fn rules(before: &[Rule], after: &[Rule], changes: &mut Vec<String>) {
    if before.len() != after.len() {
        changes.push(list_changed("rule", before.len(), after.len()));
        return;
    }
    for (old, new) in before.iter().zip(after) {
        numbers(&new.name, old, new, changes);
    }
}

/// Adds the parameters of something that differ.
fn numbers(title: &str, before: &dyn Params, after: &dyn Params, changes: &mut Vec<String>) {
    let [old, new] = [before, after].map(texts);
    for (path, value) in &new {
        let was = old.get(path);
        if was == Some(value) {
            continue;
        }
        let name = path.rsplit('.').next().unwrap_or(path).replace('_', " ");
        changes.push(match (name.as_str(), was) {
            ("on", _) => format!("{title} {}", if value == "true" { "on" } else { "off" }),
            (_, Some(was)) if was.len().max(value.len()) <= LONGEST => {
                format!("{title}: {name} {was} → {value}")
            }
            _ => format!("{title}: {name}"),
        });
    }
    if new.len() < old.len() && !new.keys().any(|path| !old.contains_key(path)) {
        changes.push(format!("{title}: something left out"));
    }
}

/// All values by their paths.
fn texts(params: &dyn Params) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    params::each(params, &mut |path, _, value| {
        let text = match value {
            // Eight digits say more about the machine than about the number.
            Reading::Float(number) => format!("{}", f64::from(number * 1e4).round() / 1e4),
            value => ron::to_string(&value).unwrap_or_default(),
        };
        texts.insert(path.to_owned(), text.trim_matches('"').to_owned());
    });
    texts
}

/// How a list of things differs from what it was.
fn list_changed(thing: &str, old: usize, new: usize) -> String {
    let what = if new < old { "removed" } else { "added" };
    match new.abs_diff(old) {
        0 => format!("{thing}s"),
        1 => format!("{what} a {thing}"),
        count => format!("{what} {count} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hills() -> Recipe {
        let text = r#"(version: 1, name: "Hills", seed: 3, size: (33, 33), cell: 20,
            steps: [fbm(height: 400, hurst: 0.8), gaussian(sigma: 2), terrace()])"#;
        Recipe::from_ron(text, "hills.ron").unwrap()
    }

    fn said(edit: impl FnOnce(&mut Recipe)) -> String {
        let mut after = hills();
        edit(&mut after);
        change(&hills(), &after)
    }

    #[test]
    fn changes_are_told_by_what_a_hand_did() {
        assert_eq!(said(|recipe| recipe.seed = 9), "seed 3 → 9");
        assert_eq!(
            said(|recipe| recipe.set("steps.fbm.height", "500").unwrap()),
            "Fractional Brownian motion: height 400 → 500"
        );
        assert_eq!(said(|recipe| recipe.steps[1].mixing.on = false), "Gaussian off");
        assert_eq!(said(|recipe| drop(recipe.steps.remove(1))), "removed Gaussian");
        assert_eq!(said(|recipe| recipe.steps.push(Step::from_name("invert").unwrap())), "added Invert");
        assert_eq!(
            said(|recipe| recipe.steps.swap(0, 1)),
            "exchanged Fractional Brownian motion and Gaussian"
        );
        assert_eq!(
            said(|recipe| {
                let first = recipe.steps.remove(0);
                recipe.steps.push(first);
            }),
            "moved Fractional Brownian motion"
        );
        assert_eq!(said(|recipe| recipe.sun.elevation = 12.5), "sun: elevation 32 → 12.5");
        assert_eq!(said(|recipe| recipe.name = "Downs".into()), "name: Downs");
        assert_eq!(said(|recipe| (recipe.seed, recipe.size) = (4, (65, 65))), "seed 3 → 4, and 1 more");
        assert_eq!(said(|_| {}), "nothing that is seen");
    }

    #[test]
    fn several_that_were_added_or_removed_are_counted() {
        let mut most = hills();
        most.scatter = vec![Rule::default(); 5];
        most.bookmarks = vec![crate::recipe::Bookmark::default(); 3];
        let mut fewer = most.clone();
        fewer.scatter.truncate(2);
        assert_eq!((change(&most, &fewer), change(&fewer, &most)), words("removed 3 rules", "added 3 rules"));
        let mut one = most.clone();
        one.scatter.pop();
        assert_eq!((change(&most, &one), change(&one, &most)), words("removed a rule", "added a rule"));
        one = most.clone();
        one.bookmarks.truncate(1);
        assert_eq!(
            (change(&most, &one), change(&one, &most)),
            words("removed 2 bookmarks", "added 2 bookmarks")
        );
        one.bookmarks = vec![crate::recipe::Bookmark { name: "Top".into(), ..Default::default() }; 3];
        assert_eq!(change(&most, &one), "bookmarks");
    }

    fn words(one: &str, other: &str) -> (String, String) {
        (one.to_owned(), other.to_owned())
    }

    #[test]
    fn of_steps_with_the_same_title_the_one_is_named_by_its_place() {
        let mut before = hills();
        before.steps.push(before.steps[1].clone());
        let said = |edit: fn(&mut Recipe)| {
            let mut after = before.clone();
            edit(&mut after);
            change(&before, &after)
        };
        assert_eq!(said(|recipe| recipe.steps[3].mixing.on = false), "Gaussian (step 4) off");
        assert_eq!(
            said(|recipe| recipe.set("steps.1.sigma", "5").unwrap()),
            "Gaussian (step 2): sigma 2 → 5"
        );
        assert_eq!(said(|recipe| drop(recipe.steps.pop())), "removed Gaussian (step 4)");
        assert_eq!(said(|recipe| recipe.steps.push(recipe.steps[1].clone())), "added Gaussian (step 5)");
        assert_eq!(said(|recipe| recipe.steps.swap(2, 3)), "exchanged Terraces and Gaussian (step 4)");
    }

    #[test]
    fn every_number_of_every_step_is_named() {
        for step in crate::steps::names().into_iter().filter_map(Step::from_name) {
            let mut before = hills();
            before.steps = vec![step.clone()];
            let mut after = before.clone();
            let mut moved = false;
            params::each_mut(&mut after.steps[0], &mut |_, _, value| {
                if let params::Value::Float(number) = value
                    && !moved
                {
                    (*number, moved) = (*number + 1.0, true);
                }
            });
            let said = change(&before, &after);
            assert_eq!(said.starts_with(step.title()), moved, "{said}");
        }
    }
}
