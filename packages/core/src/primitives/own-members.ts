/** A copy of an object's own members, without what another library has added to `Object.prototype`. */
export function ownMembers<T extends object>(value: T): T {
  return Object.assign(Object.create(null) as T, value)
}

/** Those members of an object by name, each as `memberOf` finds it. A copy, which can be read without a guard. */
export function membersOf<T extends object, Name extends keyof T>(
  value: T,
  ...names: readonly Name[]
): { readonly [Member in Name]: T[Member] | undefined } {
  const members = names.map(name => [name, memberOf(value, name)])
  return Object.fromEntries(members) as { [Member in Name]: T[Member] | undefined }
}

/**
 * A member of an object of the user's making, which may be an instance of a class and have it from there;
 * `undefined` where only another library has added it to `Object.prototype`.
 */
export function memberOf<T extends object, Name extends keyof T>(value: T, name: Name): T[Name] | undefined {
  const member = value[name]
  if (member === undefined) return undefined
  return name in Object.prototype && !Object.hasOwn(value, name) ? undefined : member
}
