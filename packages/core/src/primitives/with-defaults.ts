/** Returns options, with defaults for those that are not given. A member that is `undefined` is not given. */
export function withDefaults<T extends object>(
  defaults: T,
  given: { readonly [Name in keyof T]?: T[Name] | undefined } | undefined,
): T {
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(set) }
}
