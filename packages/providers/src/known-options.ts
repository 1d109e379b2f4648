/**
 * Refuses options that are not an object, or that have a name the owner does not know: a misspelt option would
 * otherwise be as if it were not there. Throws `TypeError`, which names the option and those that there are.
 */
export function knownOptions(owner: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`${owner}: expected an object of options, got ${kindOf(given)}.`)
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    throw new TypeError(`${owner}: unknown option '${name}'. There are ${known.join(', ')}.`)
  }
}

/** Every name of an options type: a name that is missing, or is not one of its, is a type error. */
export function namesOf<T>(names: { readonly [K in keyof Required<T>]: true }): readonly string[] {
  return Object.keys(names)
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}
