/** Something to say about a place in a text. Offsets count UTF-16 units, as JavaScript does. */
export interface Finding {
  from: number
  to: number
  severity: 'error' | 'warning' | 'info'
  message: string
}
