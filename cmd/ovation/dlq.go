package main

// DLQ is about dead letters: records of the public topic that could not be taken.
type DLQ struct {
	List   DLQList   `cmd:"" help:"List dead letters, and count them by reason." example:"ovation dlq list; ovation dlq list --reason unknown_member,bad_json --since 24h"`
	Show   DLQShow   `cmd:"" help:"Show one dead letter with its headers and the original bytes. They may hold personal data: this shows them to whoever runs it." example:"ovation dlq show 3f2a; ovation dlq show 3f2a --value"`
	Replay DLQReplay `cmd:"" help:"Publish originals again, mended or as they are: all that are chosen, since only the node knows whose they are now. A member who registered after the letter was refused gets none of it (before_registration). One that counted, or was deleted, is a repeat and changes nothing; one still refused is a dead letter again." example:"ovation dlq replay --reason unknown_member --since 24h --dry-run; ovation dlq replay 3f2a --from-file mended.json"`
}
