import { type Json, parse } from '@/lib/lossless'

/** One example, or several: one a line. */
export function readExamples(text: string): Json[] {
  try {
    return [parse(text)]
  } catch (whole) {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    if (lines.length < 2) throw whole
    try {
      return lines.map(parse)
    } catch {
      throw whole
    }
  }
}
