//! A profile taken apart: each leg alone, then layer upon layer until it is whole.
//!
//! Every stage is a profile of its own, with the later layers switched off, ranked by the core like
//! any other. So what a layer does is what it does in an answer, and nothing is computed a second
//! way here.

use concord_core::Profile;
use concord_core::profile::{DecayMode, GraphMode};

use super::field::Lineup;

/// One stage of a profile.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    /// Stable, for documents.
    pub(crate) key: String,
    /// For people.
    pub(crate) title: String,
    /// What the layer does, in a sentence.
    pub(crate) meaning: String,
    pub(crate) lineup: Lineup,
    /// A leg by itself, and no layer upon another.
    pub(crate) is_leg: bool,
}

type Switch = fn(&mut Profile);

/// The layers after fusion, in the order of the pipeline: each with what switches it off.
const LAYERS: [(&str, &str, &str, Switch); 5] = [
    (
        "decay",
        "+ age",
        "older notes of the same author or folder count less",
        |profile| profile.decay.mode = DecayMode::Off,
    ),
    (
        "graph",
        "+ links",
        "links between notes add to what words and meaning say",
        |profile| profile.graph.mode = GraphMode::Off,
    ),
    (
        "recency",
        "+ changed lately",
        "notes changed in the last weeks, and the notes' own numbers, add a little",
        |profile| {
            profile.recency.amount = 0.0;
            profile.signals.clear();
        },
    ),
    (
        "cross",
        "+ cross-encoder",
        "the first few are read again together with the question",
        |profile| profile.cross.weight = 0.0,
    ),
    (
        "shortlist",
        "+ shortlist",
        "nothing said twice, at most so many passages of one note, and no more text than fits",
        |profile| {
            profile.diversity.max_per_note = None;
            profile.diversity.max_per_page = None;
            profile.diversity.repeats = true;
            profile.budget.max_tokens = None;
            profile.small_corpus.guard = false;
        },
    ),
];

/// The stages of a lineup with these legs. A layer that a profile has switched off is no stage; the
/// last stage ranks as the lineup does.
pub(crate) fn stages(lineup: &Lineup, legs: &[String]) -> Vec<Stage> {
    // With all layers off and then one more on each time, from the first.
    let up_to = |layers: usize| {
        lineup.with(&lineup.name, |profile| {
            for (_, _, _, switch_off) in &LAYERS[layers..] {
                switch_off(profile);
            }
        })
    };
    let fused = up_to(0);
    let mut profiles = fused.profiles.iter();
    let has_feedback = profiles.any(|profile| profile.retrieve.feedback > 0);
    let mut stages: Vec<Stage> = legs
        .iter()
        .map(|leg| {
            let (title, meaning) = leg_in_words(leg, has_feedback);
            Stage {
                key: leg.clone(),
                title,
                meaning,
                lineup: fused.with(leg, |profile| alone(profile, leg)),
                is_leg: true,
            }
        })
        .collect();
    stages.push(Stage {
        key: "fused".to_owned(),
        title: "Together".to_owned(),
        meaning: "the lists above, fused into one by the profile's weights".to_owned(),
        lineup: fused.clone(),
        is_leg: false,
    });
    let mut last = fused;
    for (place, (key, title, meaning, _)) in LAYERS.iter().enumerate() {
        let next = up_to(place + 1);
        if next != last {
            stages.push(Stage {
                key: (*key).to_owned(),
                title: (*title).to_owned(),
                meaning: (*meaning).to_owned(),
                lineup: next.clone(),
                is_leg: false,
            });
        }
        last = next;
    }
    stages
}

/// A profile that one leg alone decides.
fn alone(profile: &mut Profile, leg: &str) {
    profile.fuse.weights.clear();
    profile.fuse.weights.insert(leg.to_owned(), 1.0);
    profile.fuse.other_weight = 0.0;
}

fn leg_in_words(leg: &str, has_feedback: bool) -> (String, String) {
    let (title, meaning) = match leg {
        "vector" if has_feedback => (
            "Meaning alone",
            "the passages nearest by the encoder's vectors, all candidates seen from between the question \
             and its nearest passages (retrieve.feedback)",
        ),
        "vector" => (
            "Meaning alone",
            "the passages nearest to the question by the encoder's vectors",
        ),
        "lexical" => (
            "Words alone",
            "the passages that share the question's words (BM25)",
        ),
        "literal" => (
            "Identifiers alone",
            "the passages in which an identifier of the question stands as it was typed",
        ),
        _ => {
            return (
                format!("{leg} alone"),
                format!("what the leg `{leg}` finds"),
            );
        }
    };
    (title.to_owned(), meaning.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineup(profile: Profile) -> Lineup {
        Lineup {
            name: profile.name.clone(),
            profiles: vec![profile],
        }
    }

    #[test]
    fn the_last_stage_is_the_whole_profile() {
        for profile in [
            Profile::vault("finance"),
            Profile::vault(""),
            Profile::balanced(),
        ] {
            let mut whole = lineup(profile);
            whole.profiles[0].diversity.max_per_note = Some(2);
            let stages = stages(&whole, &["lexical".into(), "vector".into()]);
            assert_eq!(stages.last().unwrap().lineup, whole);
        }
    }

    #[test]
    fn a_layer_that_is_switched_off_is_no_stage() {
        let keys = |profile| {
            let stages = stages(&lineup(profile), &["vector".into()]);
            stages
                .into_iter()
                .map(|stage| stage.key)
                .collect::<Vec<_>>()
        };
        let finance = ["vector", "fused", "decay", "graph", "recency", "shortlist"];
        assert_eq!(keys(Profile::vault("finance")), finance);
        let mut bare = Profile::balanced();
        bare.recency.amount = 0.0;
        bare.graph.mode = GraphMode::Off;
        bare.diversity.max_per_note = None;
        bare.diversity.repeats = true;
        assert_eq!(keys(bare), ["vector", "fused"]);
    }

    #[test]
    fn a_leg_alone_has_all_the_weight() {
        let stages = stages(&lineup(Profile::vault("finance")), &["lexical".into()]);
        let profile = &stages[0].lineup.profiles[0];
        assert_eq!(profile.fuse.weights.get("lexical"), Some(&1.0));
        assert_eq!(
            (profile.fuse.weights.len(), profile.fuse.other_weight),
            (1, 0.0)
        );
        assert_eq!(profile.decay.mode, DecayMode::Off);
        assert_eq!(profile.graph.mode, GraphMode::Off);
    }
}
