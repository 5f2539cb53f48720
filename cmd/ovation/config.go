package main

// ConfigCmd shows or checks what a node would run with.
type ConfigCmd struct {
	Print    ConfigPrint    `cmd:"" help:"Print the configuration as a file for --config." example:"ovation config print --config ovation.yaml; ovation config print --output json"`
	Validate ConfigValidate `cmd:"" help:"Check the configuration, and the files it names, without running anything." example:"ovation config validate --config ovation.yaml"`
}
