/** Figures over days, on a canvas; for those who cannot see it, the same as a table. */
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { resolvedColour, useThemeVersion } from '@/lib/resolved-colour'

export interface Series {
  label: string
  /** A colour token. */
  colour: string
  values: (number | null)[]
  /** What the legend and the table show instead of `values`, if bars are drawn one over the other. */
  shown?: (number | null)[]
}

interface Props {
  label: string
  /** Days, as `2026-01-31`. */
  days: string[]
  series: Series[]
  kind: 'lines' | 'bars'
  format: (value: number) => string
  /** The top of the scale, where it is known. */
  top?: number
}

const HEIGHT = 180

export function Chart(props: Props) {
  const { label, days, series, format } = props
  const parent = useRef<HTMLDivElement>(null)
  const version = useThemeVersion()
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  const [hovered, setHovered] = useState<number | null>(null)
  const drawn = JSON.stringify([days, series, props.kind, props.top])
  useEffect(() => {
    const element = parent.current
    if (element === null) return
    const chart = new uPlot(optionsOf(latest.current, element, setHovered), dataOf(latest.current), element)
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [drawn, version])
  return (
    <figure className="relative min-w-0">
      <figcaption className="mb-1 flex flex-wrap gap-x-4 text-muted">
        {series.map((each) => (
          <span key={each.label} className="inline-flex items-center gap-1.5">
            <span aria-hidden className="size-2.5 rounded-sm" style={{ background: `var(--color-${each.colour})` }} />
            {each.label}
            {hovered === null ? null : <span className="font-medium text-ink tabular-nums">{valueAt(each, hovered, format)}</span>}
          </span>
        ))}
        {hovered === null ? null : <span className="ml-auto tabular-nums">{days[hovered]}</span>}
      </figcaption>
      <div ref={parent} aria-hidden />
      <table className="sr-only">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {series.map((each) => (
              <th key={each.label} scope="col">
                {each.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day, index) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {series.map((each) => (
                <td key={each.label}>{valueAt(each, index, format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function valueAt({ shown, values }: Series, index: number, format: (value: number) => string): string {
  const value = (shown ?? values)[index] ?? null
  return value === null ? 'none' : format(value)
}

function dataOf({ days, series }: Props): uPlot.AlignedData {
  return [days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1_000), ...series.map((each) => each.values)]
}

const BAR = { size: [0.7, 28] as [number, number] }

function optionsOf({ series, kind, format, top, days }: Props, element: Element, onHover: (index: number | null) => void): uPlot.Options {
  const ink = resolvedColour('muted', element)
  const grid = { stroke: resolvedColour('line', element), width: 1 }
  const font = '12px ui-sans-serif, system-ui, sans-serif'
  const half = 43_200
  const at = (day: string | undefined) => Date.parse(`${day}T00:00:00Z`) / 1_000
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
    scales: {
      x: { range: [at(days[0]) - half, at(days.at(-1)) + half] },
      y: { range: (_chart, _low, high) => [0, top ?? (high > 0 ? high * 1.1 : 1)] },
    },
    axes: [
      { stroke: ink, grid: { show: false }, ticks: { show: false }, font, size: 28, space: 60, incrs: DAYS, values: dayLabels },
      { stroke: ink, grid, ticks: { show: false }, font, size: 52, values: (_chart, ticks) => ticks.map(format) },
    ],
    series: [{}, ...series.map((each) => seriesOf(each, kind, element))],
  }
}

const DAYS = [1, 2, 5, 7, 14, 30, 60, 120, 365].map((days) => days * 86_400)

function dayLabels(_chart: uPlot, ticks: number[]): string[] {
  const format = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
  return ticks.map((tick) => format.format(new Date(tick * 1_000)))
}

function seriesOf(series: Series, kind: Props['kind'], element: Element): uPlot.Series {
  const stroke = resolvedColour(series.colour, element)
  const bars = uPlot.paths.bars
  if (kind === 'bars' && bars !== undefined) {
    return { label: series.label, stroke, fill: stroke, width: 0, paths: bars(BAR), points: { show: false } }
  }
  return { label: series.label, stroke, width: 2, points: { show: true, size: 6, fill: stroke }, spanGaps: true }
}
