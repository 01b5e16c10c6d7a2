//! Two of the open landscapes, which something compares.

use bevy::prelude::Entity;

use crate::viewer::session::Landscapes;

/// Follows the open landscapes. At first, the pair is the first two. If one of it has been closed, the first
/// of the others takes its place. With fewer than two landscapes there is none.
pub(super) fn follow(pair: &mut Option<[Entity; 2]>, landscapes: &Landscapes) {
    let (Some(first), Some(second)) = (landscapes.first(), landscapes.at(1)) else {
        *pair = None;
        return;
    };
    let pair = pair.get_or_insert([first, second]);
    for index in [0, 1] {
        if !landscapes.contains(pair[index]) {
            pair[index] = if pair[1 - index] == first { second } else { first };
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::World;

    use super::*;

    #[test]
    fn the_lands_of_a_pair_stay_the_same_when_another_is_closed() {
        let mut world = World::new();
        let lands: [Entity; 3] = std::array::from_fn(|_| world.spawn_empty().id());
        // Places from the left, before and after.
        let after = |pair: [usize; 2], closed: usize| {
            let mut landscapes = Landscapes::of(lands);
            let mut pair = Some(pair.map(|index| lands[index]));
            landscapes.remove(lands[closed]);
            follow(&mut pair, &landscapes);
            pair.unwrap().map(|land| landscapes.index_of(land).unwrap())
        };
        assert_eq!(after([0, 1], 2), [0, 1]);
        assert_eq!(after([2, 1], 0), [1, 0]);
        assert_eq!(after([0, 2], 1), [0, 1]);
        // When one of them is closed, the other keeps its place.
        assert_eq!(after([0, 2], 2), [0, 1]);
        assert_eq!(after([0, 2], 0), [0, 1]);
        assert_eq!(after([1, 0], 1), [1, 0]);
        assert_eq!(after([2, 1], 2), [0, 1]);
    }
}
