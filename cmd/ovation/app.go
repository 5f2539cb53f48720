package main

// App is about accounts and applications.
type App struct {
	Create AppCreate `cmd:"" help:"Make an application with a first key, and its account where there is none of that name. The key is shown this once." example:"ovation app create --account 'Night Label' --name site --plan advanced"`
	List   AppList   `cmd:"" help:"List accounts and applications." example:"ovation app list; ovation app list --output json"`
	Edit   AppEdit   `cmd:"" help:"Set addresses of an application's pages, which app/info shows." example:"ovation app edit 1 --logout-url https://www.example.com/out --login-url spotify=https://www.example.com/in"`
	Plan   AppPlan   `cmd:"" help:"Give an application another plan." example:"ovation app plan 1 enterprise"`
	Limit  AppLimit  `cmd:"" help:"Set the limits of an account, over all of its keys. What is left out is its plan's." example:"ovation app limit 1 --rate 200 --burst 400"`
	Limits AppLimits `cmd:"" help:"List accounts with their limits." example:"ovation app limits"`
}
