//go:build !full

package actors

// What TestMerge_AnswersAreOfOneMember does: members, and actions in each of six rounds.
const mergeSeeds, mergeFans, mergeActs = 1, 24, 1000
