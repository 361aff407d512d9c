/** Merges concurrent changes of a document by its top-level members. */
import { type Json, type JsonMap, isMap, same, withMember } from '@/lib/lossless'

/** The top-level members that differ. */
export function changedParts(before: Json, after: Json): string[] {
  if (!isMap(before) || !isMap(after)) return []
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].filter((key) => !same(before.get(key), after.get(key)))
}

/** Merges both changes if they touch different members, else null. */
export function merged(base: Json, mine: JsonMap, theirs: Json): JsonMap | null {
  if (!isMap(theirs)) return null
  const ours = changedParts(base, mine)
  const others = new Set(changedParts(base, theirs))
  if (ours.some((key) => others.has(key))) return null
  return ours.reduce<JsonMap>((result, key) => withMember(result, key, mine.get(key)), theirs)
}
