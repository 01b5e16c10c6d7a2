//! Titles of steps for people, where several steps may have the same one.

use super::Step;

/// A title with its step's place in the list before it, for lists of steps: "4  Gaussian".
pub fn numbered(index: usize, title: &str) -> String {
    format!("{}  {title}", index + 1)
}

/// The title of the step with this index, which distinguishes it from all others: where one of them has the
/// same title, its place in the list follows, "Gaussian (step 4)". Empty if there is no such step.
pub fn title_among(steps: &[Step], index: usize) -> String {
    let Some(title) = steps.get(index).map(Step::title) else { return String::new() };
    let is_alone = steps.iter().filter(|step| step.title() == title).count() == 1;
    if is_alone { title.to_owned() } else { format!("{title} (step {})", index + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_titles_are_numbered_and_no_two_names_are_alike() {
        let steps = ["fbm", "gaussian", "fbm"].map(|name| Step::from_name(name).unwrap());
        let names = [0, 1, 2, 3].map(|index| title_among(&steps, index));
        let [fbm, gaussian, _] = steps.each_ref().map(|step| step.title());
        assert_eq!(
            names,
            [format!("{fbm} (step 1)"), gaussian.to_owned(), format!("{fbm} (step 3)"), String::new()]
        );
        assert_eq!(numbered(2, fbm), format!("3  {fbm}"));
    }
}
