package main

// Collect publishes actions to any Kafka, as a network's collector does.
type Collect struct {
	File      CollectFile      `cmd:"" help:"Publish the rows of CSV, JSON or log files, as a mapping says." example:"ovation collect file --as spotify --member spotify:ann --account 1 --create Streaming_History_Audio_2025.json; ovation collect file mapping.yaml plays.csv --dry-run"`
	Runs      CollectRuns      `cmd:"" help:"List what was published by files and generators, run by run, or show one run." example:"ovation collect runs"`
	Undo      CollectUndo      `cmd:"" help:"Take back what runs published." example:"ovation collect undo 20260315-120010-52qo"`
	Mappings  CollectMappings  `cmd:"" help:"List the ready mappings, or print one." example:"ovation collect mappings; ovation collect mappings spotify"`
	Generator CollectGenerator `cmd:"" help:"Publish what a made-up audience did in a year." example:"ovation collect generator --account 1 --create --members 500"`
}

// Help tells the exit codes.
func (c *Collect) Help() string { return collectExits }

// collectExits tells the exit codes.
const collectExits = "Exit codes: 0 every row was published or is one that the mapping leaves out; 3 rows were bad: how many, and in which lines; " +
	"1 no row could be published, or the run stopped at a cause that is no row's (broker or API away, key refused, something missing " +
	"without --create): the same command goes on from there; 2 wrong use."
