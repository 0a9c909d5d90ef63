//go:build !unix

package interactive

import "context"

// jobs are signals of shells; there are none that stop programs.
type jobs struct{}

func (u *ui) jobControl(context.Context) {}

func (u *ui) suspend() { u.fail(u.p.Suspend()) }
