//! Which plane of an EXR is the height. A file may have several parts, each with planes (channels) of any
//! name.

use exr::meta::header::Header;
use exr::prelude::Vec2;

use crate::elevation::formats::channel::HeightChannel;

/// Names of planes and layers that hold heights, the most certain first, in lower case.
const HEIGHTS: [&str; 17] = [
    "height",
    "elevation",
    "heightmap",
    "heightfield",
    "heights",
    "elev",
    "elevations",
    "altitude",
    "alt",
    "dem",
    "dtm",
    "dsm",
    "displacement",
    "displace",
    "disp",
    "z",
    "y",
];
/// How many planes are listed in a message, at most.
const LISTED: usize = 12;

/// Which planes to read.
#[derive(Debug, PartialEq)]
pub(super) struct Choice {
    /// Index of the part.
    pub(super) part: usize,
    /// Indices of the channels within the part: one, or red, green and blue.
    pub(super) channels: Vec<usize>,
    /// Index of the alpha channel, if there is one in the same layer.
    pub(super) alpha: Option<usize>,
    /// A line that reports the choice, if there was one.
    pub(super) note: Option<String>,
}

/// A plane of one of the parts.
#[derive(Debug)]
struct Plane {
    part: usize,
    channel: usize,
    /// The channel's name, without those of its layers.
    base: String,
    /// Its name with those of its layers.
    name: String,
    /// As `name`, with the name of its part before it.
    full: String,
    is_whole: bool,
}

impl Plane {
    /// How certainly it is the height: the index of its name, or that of its layer or part, in [`HEIGHTS`].
    fn rank(&self) -> Option<(usize, usize)> {
        let place = |name: &str| HEIGHTS.iter().position(|known| name.eq_ignore_ascii_case(known));
        if let Some(rank) = place(&self.base) {
            // `debris.y` is less certain than `y`, and `y` less than `height.r`.
            return Some(if self.base.len() == 1 {
                (rank + 2 * HEIGHTS.len(), self.name.len())
            } else {
                (rank, 0)
            });
        }
        // `terrain_height` is more certain than a single letter, and less than a layer called `height`.
        let lower = self.base.to_ascii_lowercase();
        if ["height", "elevation", "altitude"].iter().any(|part| lower.contains(part)) {
            return Some((2 * HEIGHTS.len(), 0));
        }
        let layers = self.full.rsplit('.').skip(1).filter(|layer| layer.len() > 1);
        let rank = layers.filter_map(place).min()?;
        let within = ["v", "r", "x", "g", "b"].iter().position(|name| self.base.eq_ignore_ascii_case(name));
        (!self.is_alpha()).then_some((rank + HEIGHTS.len(), within.unwrap_or(1)))
    }

    fn is_alpha(&self) -> bool {
        self.base.eq_ignore_ascii_case("a") || self.base.eq_ignore_ascii_case("alpha")
    }
}

/// Chooses a plane. The error is the message.
pub(super) fn choose(headers: &[Header], channel: HeightChannel) -> Result<Choice, String> {
    if headers.iter().all(|header| header.deep) {
        return Err(
            "the EXR holds only deep data, several values a pixel, which isn't read; save flat planes".into(),
        );
    }
    let planes = planes(headers);
    let one = |plane: &Plane| (plane.part, vec![plane.channel]);
    let called = |name: &str| {
        let exact = planes.iter().find(|plane| plane.name == name || plane.full == name);
        let alike = |text: &str| text.eq_ignore_ascii_case(name);
        let whole = || planes.iter().find(|plane| alike(&plane.name) || alike(&plane.full));
        exact.or_else(whole).or_else(|| planes.iter().find(|plane| alike(&plane.base)))
    };
    let rgb = || {
        (0..headers.len()).find_map(|part| {
            let of = |name: &str| {
                Some(planes.iter().find(|plane| plane.part == part && plane.name == name)?.channel)
            };
            Some((part, vec![of("R")?, of("G")?, of("B")?]))
        })
    };
    // `min_by_key` takes the first of equals: the file's own order decides.
    let ranked =
        || planes.iter().filter_map(|plane| Some((plane.rank()?, plane))).min_by_key(|(rank, _)| *rank);
    let luminance = || ["R", "luminance", "L", "grey", "gray"].into_iter().find_map(called);
    let first = || planes.iter().find(|plane| !plane.is_alpha()).or(planes.first());
    let automatic = || {
        let by_name = ranked().map(|(_, plane)| one(plane));
        by_name.or_else(rgb).or_else(|| luminance().map(one)).or_else(|| first().map(one))
    };
    let found = match channel {
        HeightChannel::Auto => automatic(),
        HeightChannel::Luma => {
            let grey = planes.iter().find(|plane| plane.name == "Y").map(one);
            grey.or_else(rgb).or_else(automatic)
        }
        HeightChannel::Red => called("R").or_else(|| called("red")).map(one),
        HeightChannel::Green => called("G").or_else(|| called("green")).map(one),
        HeightChannel::Blue => called("B").or_else(|| called("blue")).map(one),
        HeightChannel::Alpha => called("A").or_else(|| called("alpha")).map(one),
        HeightChannel::Named(name) => called(name.as_str()).map(one),
        HeightChannel::Mapbox | HeightChannel::Terrarium => {
            let reason =
                "the planes of an EXR are heights themselves and not 8-bit colours; give the name of a plane";
            return Err(reason.into());
        }
    };
    let list = || {
        let names: Vec<&str> = planes.iter().take(LISTED).map(|plane| plane.full.as_str()).collect();
        let more = if planes.len() > LISTED { " and more" } else { "" };
        format!("{}{more}", names.join(", "))
    };
    let Some((part, channels)) = found else {
        let wanted = match channel {
            HeightChannel::Named(name) => format!("channel `{}`", name.as_str()),
            other => format!("{} channel", format!("{other:?}").to_lowercase()),
        };
        return Err(format!("the EXR has no {wanted}; it has {}", list()));
    };
    let of_choice = |plane: &&Plane| plane.part == part && channels.contains(&plane.channel);
    if planes.iter().filter(of_choice).any(|plane| !plane.is_whole) {
        return Err("the EXR's channel is subsampled; save it at full resolution".into());
    }
    let was_chosen = matches!(channel, HeightChannel::Auto | HeightChannel::Luma);
    let others = planes.iter().filter(|plane| !of_choice(plane) && !plane.is_alpha()).count();
    let note = (was_chosen && others > 0).then(|| {
        let names: Vec<&str> = planes.iter().filter(of_choice).map(|plane| plane.full.as_str()).collect();
        let chosen =
            if let [name] = names[..] { format!("plane `{name}`") } else { "luma of R, G and B".into() };
        format!("its {chosen} is read as height, of {}; give the channel by name to read another", list())
    });
    let layers = |plane: &Plane| plane.name.rsplit_once('.').map(|(layers, _)| layers.to_owned());
    let own = planes.iter().find(of_choice).map(layers);
    let is_own_alpha = |plane: &&Plane| {
        let is_beside = plane.part == part && !channels.contains(&plane.channel) && plane.is_whole;
        is_beside && plane.is_alpha() && Some(layers(plane)) == own
    };
    // Red, green and blue on their own may be parts of a vector, which is 0 where it moves nothing.
    let is_height = matches!(channel, HeightChannel::Auto | HeightChannel::Luma | HeightChannel::Named(_));
    let alpha = planes.iter().filter(|_| is_height).find(is_own_alpha).map(|plane| plane.channel);
    Ok(Choice { part, channels, alpha, note })
}

/// All planes that aren't deep.
fn planes(headers: &[Header]) -> Vec<Plane> {
    let mut planes = Vec::new();
    for (part, header) in headers.iter().enumerate().filter(|(_, header)| !header.deep) {
        let of_part = header.own_attributes.layer_name.as_ref().map(ToString::to_string);
        for (channel, description) in header.channels.list.iter().enumerate() {
            let name = description.name.to_string();
            let base = name.rsplit('.').next().unwrap_or_default().to_owned();
            let full = match &of_part {
                Some(of_part) if headers.len() > 1 && !of_part.is_empty() => format!("{of_part}.{name}"),
                _ => name.clone(),
            };
            planes.push(Plane {
                part,
                channel,
                base,
                name,
                full,
                is_whole: description.sampling == Vec2(1, 1),
            });
        }
    }
    planes
}
