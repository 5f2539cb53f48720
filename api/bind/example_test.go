package bind_test

import (
	"fmt"
	"reflect"

	"github.com/ovation-analytics/ovation/api/bind"
)

// The fields of an input are the parameters, their tags the rules.
func ExamplePlan_Bind() {
	type input struct {
		BrandID  bind.ID       `name:"brandid"`
		Services bind.Services `name:"services"`
		Sort     string        `name:"sort" enum:"ASC,DESC" default:"ASC"`
	}
	plan := bind.NewPlan(reflect.TypeFor[input](), "/v1.1/brand/:brandid/activities", false)
	for _, query := range []string{"SORT=desc&services=spotify&utm=x", "sort=up"} {
		var given bind.Params
		given.Path("brandid", "7")
		given.Encoded(query)
		var in input
		warnings, fault := plan.Bind(&in, &given)
		if fault != nil {
			fmt.Println(fault.Code, fault.Message)
			continue
		}
		fmt.Println(in.BrandID, in.Services, in.Sort, warnings)
	}
	// Output:
	// 7 [spotify] DESC [the parameter utm is unknown and was ignored]
	// 4 sort must be one of ASC, DESC
}
