//! `upland mistakes`: lists mistakes of naive versions, explains one, draws it next to the right version, or
//! writes both recipes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use super::lesson::wrapped;
use crate::cli::arguments::MistakesArguments;
use crate::cli::outputs;
use crate::cli::report::{Failure, Outcome, print};
use crate::error::Error;
use crate::files::{create_folder, replace_file};
use crate::lessons::Mistake;

pub(in crate::cli) fn run(arguments: &MistakesArguments) -> Outcome {
    let Some(name) = &arguments.name else {
        let line = |mistake: &Mistake| format!("{:16} {}\n", mistake.name, mistake.title);
        return Ok(print(&Mistake::all().iter().map(line).collect::<String>())?);
    };
    let Some(mistake) = Mistake::find(name) else {
        let names: Vec<&str> = Mistake::all().iter().map(|mistake| mistake.name).collect();
        return Err(Failure::Usage(format!("there is no mistake `{name}`; there are {}", names.join(", "))));
    };
    if let Some(folder) = arguments.recipes.as_ref().filter(|folder| folder.exists() && !folder.is_dir()) {
        let reason = "is a file; --recipes writes two files into a folder, so give a folder's name";
        return Err(Error::file(folder, reason).into());
    }
    #[cfg(feature = "render")]
    if let Some(output) = &arguments.output {
        return draw(mistake, arguments, output);
    }
    match &arguments.recipes {
        Some(folder) => {
            outputs::together(|| write(mistake, folder))?.1.report("");
            Ok(())
        }
        None => Ok(print(&told(mistake))?),
    }
}

/// The mistake, its reason, and the remedy.
fn told(mistake: &Mistake) -> String {
    let mut text = format!("{}\n\n", mistake.title);
    text += &wrapped(mistake.why, 0);
    text.push('\n');
    text += &wrapped(&format!("The cure: {}", mistake.cure), 0);
    text += "\nWhat makes it wrong:\n";
    for (path, value) in mistake.spoils {
        let _ = writeln!(text, "    {path}={value}");
    }
    text
}

/// Writes both recipes into a folder, which is created if it doesn't exist.
fn write(mistake: &Mistake, folder: &Path) -> Outcome {
    let (wrong, right) = (mistake.wrong()?.to_ron()?, mistake.right()?.to_ron()?);
    create_folder(folder)?;
    for (name, text) in [("wrong.ron", wrong), ("right.ron", right)] {
        let path = folder.join(name);
        replace_file(&path, |file| {
            file.write_all(text.as_bytes()).map_err(|error| Error::io(&path, "write", error))
        })?;
    }
    Ok(())
}

/// Draws wrong next to right, like `upland compare`, and also writes both recipes if they are requested.
#[cfg(feature = "render")]
fn draw(mistake: &Mistake, arguments: &MistakesArguments, output: &Path) -> Outcome {
    use super::compare;
    use crate::cli::drawing;
    use crate::picture;
    use crate::render::{CompareShot, Compared};

    picture::check(output)?;
    let compared = [("Wrong", mistake.wrong()?), ("Right", mistake.right()?)]
        .map(|(title, recipe)| Compared::new(format!("{title}: {}", mistake.title), recipe));
    let (size, quality, time_limit) = (arguments.size, arguments.quality, arguments.time_limit.duration());
    let shot = CompareShot { size, quality, time_limit, ..CompareShot::default() };
    let drawn = compare::draw(&compared, &shot)?;
    let ((), written) = outputs::together(|| {
        if let Some(folder) = &arguments.recipes {
            write(mistake, folder)?;
        }
        compare::write(&drawn, output)
    })?;
    let [picture, recipes] = written.split(|path| path == output);
    recipes.report("");
    picture.report(&drawing::content(&drawn.picture));
    Ok(())
}
