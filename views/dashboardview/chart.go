package dashboardview

import (
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// stackOrder returns a bar's statuses upwards, success first, failures last.
func stackOrder() []app.Status {
	return []app.Status{app.StatusCompleted, app.StatusCancelled, app.StatusTimeout, app.StatusError}
}

// The chart's drawing units.
const (
	chartHeight = 120
	chartStep   = 12 // one bar and the gap behind it
	chartGap    = 2
)

// block is one coloured part of a bar.
type block struct {
	class      string
	x, y, w, h string
}

// column is one bar of the chart.
type column struct {
	title  string
	url    string // of the executions of its days
	x      string
	blocks []block
}

func columns(u Usage) []column {
	most := max(peak(u), 1)
	all := make([]column, len(u.Bars))
	for i, b := range u.Bars {
		c := column{
			title: barTitle(b, u.Period), url: runsURL(b.Start, b.Start.Add(u.Period.Width), ""),
			x: strconv.Itoa(i * chartStep),
		}
		foot := float64(chartHeight)
		for _, s := range stackOrder() {
			n := b.Counts[s]
			if n == 0 {
				continue
			}
			h := math.Max(float64(n)/float64(most)*(chartHeight-12), 2) // one of thousands is still seen
			foot -= h
			c.blocks = append(c.blocks, block{
				class: string(s),
				x:     strconv.Itoa(i*chartStep + chartGap/2), y: format.Decimal(math.Max(foot, 0)),
				w: strconv.Itoa(chartStep - chartGap), h: format.Decimal(h),
			})
		}
		all[i] = c
	}
	return all
}

// runsURL lists executions of the UTC days [from, to); "" is every status.
func runsURL(from, to time.Time, status app.Status) string {
	q := url.Values{
		"from": {from.UTC().Format(time.DateOnly)}, "to": {to.Add(-time.Nanosecond).UTC().Format(time.DateOnly)},
	}
	if status != "" {
		q.Set("status", string(status))
	}
	return paths.Executions + "?" + q.Encode()
}

func chartBox(u Usage) string {
	return "0 0 " + strconv.Itoa(max(len(u.Bars), 1)*chartStep) + " " + strconv.Itoa(chartHeight)
}

func barTitle(b app.UsageBar, p Period) string {
	text := barTime(b, p) + ": " + format.Count(b.Total(), "run")
	for _, s := range stackOrder() {
		if n := b.Counts[s]; n > 0 {
			text += ", " + strconv.FormatInt(n, 10) + " " + format.LowerFirst(format.Status(s))
		}
	}
	return text
}

func barTime(b app.UsageBar, p Period) string {
	if p.Width >= 24*time.Hour {
		return b.Start.UTC().Format("2 Jan 2006")
	}
	return b.Start.UTC().Format("2 Jan, 15:04") + "–" + b.Start.Add(p.Width).UTC().Format("15:04 UTC")
}

// peak is the largest bar, for the scale.
func peak(u Usage) (n int64) {
	for _, b := range u.Bars {
		n = max(n, b.Total())
	}
	return n
}
