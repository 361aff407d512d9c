import { type Json, parse } from '@/lib/lossless'

/** Reads one example, or several with one per line. */
export function readExamples(text: string): Json[] {
  try {
    return [parse(text)]
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    if (lines.length < 2) throw error
    try {
      return lines.map(parse)
    } catch {
      throw error
    }
  }
}
