package api

import (
	"context"
	"time"
)

// refresh has a call that asks for it wait until everything is applied that was accepted
// before it, as long as it would wait for a position. What is read then is no older.
func (c *Call) refresh(in *common) error {
	if on, _ := c.params.Get("refresh"); on != "1" || !c.op.plan.Has("refresh") {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx(), time.Duration(in.TimeoutMs)*time.Millisecond)
	defer cancel()
	at, err := c.Engine.Ends(ctx)
	if err != nil {
		return err
	}
	if err := c.Engine.Await(ctx, at); err != nil {
		return err
	}
	c.catalog = c.Engine.Catalog()
	c.wait = c.wait.Reach(at)
	c.saw(at)
	return nil
}
