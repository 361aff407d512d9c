/** A message about a range of a text. Offsets count UTF-16 code units. */
export interface Finding {
  from: number
  to: number
  severity: 'error' | 'warning' | 'info'
  message: string
}
