//go:build !full

package actors

// histories is how many TestI6_HistoriesInAnyPages makes up.
const histories = 300

// deletions is how many TestMerge_AnswersWhereCoveredActionsAreDeleted does.
const deletions = 20

// catalogHistories is how many TestI6_CatalogsApart makes up.
const catalogHistories = 30
