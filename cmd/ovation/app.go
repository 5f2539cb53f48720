package main

// App is about accounts and applications.
type App struct {
	Create AppCreate `cmd:"" help:"Make an application with a first key, and its account where there is none of that name. The key is shown this once."`
	List   AppList   `cmd:"" help:"List accounts and applications."`
	Edit   AppEdit   `cmd:"" help:"Set addresses of an application's pages, which app/info shows."`
	Plan   AppPlan   `cmd:"" help:"Give an application another plan."`
	Limit  AppLimit  `cmd:"" help:"Set the limits of an account, over all of its keys. What is left out is its plan's."`
	Limits AppLimits `cmd:"" help:"List accounts with their limits."`
}
