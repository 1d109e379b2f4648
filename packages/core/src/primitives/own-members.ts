/** Returns a copy of the own members of an object, without those of a polluted `Object.prototype`. */
export function ownMembers<T extends object>(value: T): T {
  return Object.assign(Object.create(null) as T, value)
}

/** Returns a copy of some members of an object, each read with `memberOf`. */
export function membersOf<T extends object, Name extends keyof T>(
  value: T,
  ...names: readonly Name[]
): { readonly [Member in Name]: T[Member] | undefined } {
  const members = names.map(name => [name, memberOf(value, name)])
  return Object.fromEntries(members) as { [Member in Name]: T[Member] | undefined }
}

/** Returns a member of an object of the user, own or inherited from a class, but not from a polluted `Object.prototype`. */
export function memberOf<T extends object, Name extends keyof T>(value: T, name: Name): T[Name] | undefined {
  const member = value[name]
  if (member === undefined) return undefined
  return name in Object.prototype && !Object.hasOwn(value, name) ? undefined : member
}
