/** A chart over days or hours, drawn on a canvas. Screen readers get the same data as a table. */
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { resolvedColour, useThemeVersion } from '@/lib/resolved-colour'

export interface Series {
  label: string
  /** A colour token. */
  colour: string
  values: (number | null)[]
  /** What the legend and the table show instead of `values`, if bars are stacked. */
  shown?: (number | null)[]
}

interface Props {
  label: string
  /** Days, as `2026-01-31`, or hours, as `2026-01-31T10:00Z`. */
  times: string[]
  series: Series[]
  kind: 'lines' | 'bars'
  format: (value: number) => string
  /** The top of the scale, if it is fixed. */
  top?: number
}

const HEIGHT = 180

export function Chart(props: Props) {
  const { label, times, series, format } = props
  const parent = useRef<HTMLDivElement>(null)
  const version = useThemeVersion()
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  const [hovered, setHovered] = useState<number | null>(null)
  const drawn = JSON.stringify([times, series, props.kind, props.top])
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
        {hovered === null ? null : <span className="ml-auto tabular-nums">{timeLabel(times[hovered] ?? '')}</span>}
      </figcaption>
      <div ref={parent} aria-hidden />
      <table className="sr-only">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{isHourly(times) ? 'Hour' : 'Day'}</th>
            {series.map((each) => (
              <th key={each.label} scope="col">
                {each.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row">{timeLabel(time)}</th>
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

function isHourly(times: readonly string[]): boolean {
  return times[0]?.includes('T') ?? false
}

/** Days are UTC and shown unchanged; hours are shown in the user's time zone. */
function timeLabel(time: string): string {
  if (!time.includes('T')) return time
  return new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(time))
}

function secondsOf(time: string | undefined): number {
  return Date.parse(time?.includes('T') ? time : `${time}T00:00:00Z`) / 1_000
}

function dataOf({ times, series }: Props): uPlot.AlignedData {
  return [times.map(secondsOf), ...series.map((each) => each.values)]
}

const BAR = { size: [0.7, 28] as [number, number] }

function optionsOf({ series, kind, format, top, times }: Props, element: Element, onHover: (index: number | null) => void): uPlot.Options {
  const ink = resolvedColour('muted', element)
  const grid = { stroke: resolvedColour('line', element), width: 1 }
  const font = '12px ui-sans-serif, system-ui, sans-serif'
  const hourly = isHourly(times)
  const half = hourly ? 1_800 : 43_200
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => (hourly ? new Date(seconds * 1_000) : uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC')),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
    scales: {
      x: { range: [secondsOf(times[0]) - half, secondsOf(times.at(-1)) + half] },
      y: { range: (_chart, _low, high) => [0, top ?? (high > 0 ? high * 1.1 : 1)] },
    },
    axes: [
      { stroke: ink, grid: { show: false }, ticks: { show: false }, font, size: 28, space: 60, incrs: hourly ? HOURS : DAYS, values: hourly ? hourLabels : dayLabels },
      { stroke: ink, grid, ticks: { show: false }, font, size: 52, values: (_chart, ticks) => ticks.map(format) },
    ],
    series: [{}, ...series.map((each) => seriesOf(each, kind, element))],
  }
}

const DAYS = [1, 2, 5, 7, 14, 30, 60, 120, 365].map((days) => days * 86_400)

const HOURS = [1, 2, 3, 6, 12, 24].map((hours) => hours * 3_600)

function hourLabels(_chart: uPlot, ticks: number[]): string[] {
  const format = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return ticks.map((tick) => format.format(new Date(tick * 1_000)))
}

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
