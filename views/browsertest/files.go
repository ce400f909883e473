package browsertest

import (
	"context"
	"strconv"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Choose selects files, or a folder, in a file field.
func (b *Browser) Choose(selector string, paths ...string) {
	b.t.Helper()
	b.act(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}

// Drop drags files or folders onto an element.
func (b *Browser) Drop(selector string, paths ...string) {
	b.t.Helper()
	b.act(chromedp.ScrollIntoView(chromedp.CSS(selector)))
	drag := input.DispatchDragEventParams{
		X: b.number(middleOf(selector, "x", "width")), Y: b.number(middleOf(selector, "y", "height")),
		Data: &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1},
	}
	for _, drag.Type = range []input.DispatchDragEventType{
		input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop,
	} {
		b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchDragEvent, drag)
			return err
		}))
	}
}

// middleOf returns an expression for an element's middle along one axis.
func middleOf(selector, start, size string) string {
	return "(r => r." + start + " + r." + size + " / 2)(document.querySelector(" + Quoted(selector) +
		").getBoundingClientRect())"
}

// number is Text for a number.
func (b *Browser) number(expression string) float64 {
	b.t.Helper()
	n, err := strconv.ParseFloat(b.Text(expression), 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}
