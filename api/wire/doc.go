// Package wire is the JSON of the API: one file per resource, shapes only.
//
// Types follow the contract. Ids and counts are strings but where it says number;
// a field without a value is null and present (a *string that is nil), never
// missing; a field that is typed plain string is "" or "0" instead; arrays are
// never null. Shapes are rendered by the API and read by its client, so the two
// cannot differ.
package wire
