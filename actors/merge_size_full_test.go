//go:build full

package actors

// What TestMerge_AnswersAreOfOneMember does: 100,000 operations a seed.
const mergeSeeds, mergeFans, mergeActs = 100, 120, 16_000

// mergeCrashes is how often members are merged whose shards crash, ten times each.
const mergeCrashes = 1000

// mergeLarge is how many actions the member of TestMerge_OfManyActionsWhileWrittenAndRead has.
const mergeLarge = 100_000

const mergeStreams, mergeStreamRounds = 40, 12
