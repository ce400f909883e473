package dashboardview

import (
	"math"
	"strconv"
	"time"

	"github.com/computclaw/airlock/views/format"
)

// slowest returns a chart's largest 95th percentile, for its scale.
func slowest(u Usage) (most time.Duration) {
	for _, b := range u.Bars {
		most = max(most, b.P95, b.Average)
	}
	return most
}

func latencyColumns(u Usage) []column {
	most := max(slowest(u), 1)
	all := make([]column, 0, len(u.Bars))
	for i, b := range u.Bars {
		c := column{
			title: barTime(b, u.Period) + ": average " + format.Span(b.Average) + ", 95th percentile " + format.Span(b.P95),
			url:   runsURL(b.Start, b.Start.Add(u.Period.Bar), ""), x: strconv.Itoa(i * chartStep),
		}
		for _, part := range []struct {
			class string
			took  time.Duration
		}{{"p95", b.P95}, {"average", b.Average}} {
			if part.took <= 0 {
				continue
			}
			h := math.Max(float64(part.took)/float64(most)*(chartHeight-12), 2)
			c.blocks = append(c.blocks, block{
				class: part.class, x: strconv.Itoa(i*chartStep + chartGap/2), y: format.Decimal(chartHeight - h),
				w: strconv.Itoa(chartStep - chartGap), h: format.Decimal(h),
			})
		}
		all = append(all, c)
	}
	return all
}
