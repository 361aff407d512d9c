/** What two people changed in one document, by its parts. */
import { type Json, type JsonMap, isMap, same, withMember } from '@/lib/lossless'

/** The parts of a document that differ. */
export function changedParts(before: Json, after: Json): string[] {
  if (!isMap(before) || !isMap(after)) return []
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].filter((key) => !same(before.get(key), after.get(key)))
}

/** Both changes in one, where they touch different parts; null where they do not. */
export function merged(base: Json, mine: JsonMap, theirs: Json): JsonMap | null {
  if (!isMap(theirs)) return null
  const ours = changedParts(base, mine)
  const others = new Set(changedParts(base, theirs))
  if (ours.some((key) => others.has(key))) return null
  return ours.reduce<JsonMap>((result, key) => withMember(result, key, mine.get(key)), theirs)
}
