package wire

// Application is the application of the key.
type Application struct {
	ID        string             `json:"ID"`
	Name      string             `json:"Name"`
	Account   ApplicationAccount `json:"Account"`
	Plan      string             `json:"Plan"`
	Domains   []string           `json:"Domains"`
	LogoutURL *string            `json:"LogoutURL"`
	Urls      []ServiceURLs      `json:"Urls"`
	Widget    Widget             `json:"Widget"`
}

// ApplicationAccount is the account of an application.
type ApplicationAccount struct {
	ID   string `json:"ID"`
	Name string `json:"Name"`
}

// ServiceURLs are the pages of a service: where members log in by it, and where they register.
type ServiceURLs struct {
	Name        string  `json:"Name"`
	LoginURL    *string `json:"LoginURL"`
	RegisterURL *string `json:"RegisterURL"`
}

// Widget is the page of the widget.
type Widget struct {
	URL *string `json:"URL"`
}

// Allowlist is the domains whose pages may read answers.
type Allowlist struct {
	Domains []string `json:"Domains"`
}
