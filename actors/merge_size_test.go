//go:build !full

package actors

// What TestMerge_AnswersAreOfOneMember does: members, and actions in each of six rounds.
const mergeSeeds, mergeFans, mergeActs = 1, 24, 1000

// mergeCrashes is how often members are merged whose shards crash, ten times each.
const mergeCrashes = 2

// mergeLarge is how many actions the member of TestMerge_OfManyActionsWhileWrittenAndRead has.
const mergeLarge = 9000

// What TestMerge_StreamsHaveEachActionOnce does: histories, and rounds of each.
const mergeStreams, mergeStreamRounds = 1, 6
