/** A copy of an object's own members, without what another library has added to `Object.prototype`. */
export function ownMembers<T extends object>(value: T): T {
  return Object.assign(Object.create(null) as T, value)
}
