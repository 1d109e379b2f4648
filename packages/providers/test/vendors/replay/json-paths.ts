/** The steps of a path such as `a.b[0].c` or `tools[*].strict`. */
function stepsOf(path: string): string[] {
  return path.split(/[.[\]]/).filter(step => step !== '')
}

/** Every value at a path. */
export function valuesAt(value: unknown, path: string): unknown[] {
  let here: unknown[] = [value]
  for (const step of stepsOf(path)) here = here.flatMap(holder => below(holder, step).map(([, of]) => of))
  return here
}

/** The value without what is at a path. */
export function without(value: unknown, path: string): unknown {
  return cutFrom(value, stepsOf(path))
}

function cutFrom(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return value
  const cut = new Map(below(value, step).map(([key, of]) => [key, cutFrom(of, rest)]))
  const last = rest.length === 0
  if (Array.isArray(value)) {
    return last
      ? value.filter((_, index) => !cut.has(String(index)))
      : value.map((item, index) => (cut.has(String(index)) ? cut.get(String(index)) : item))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, of]) =>
      cut.has(key) ? (last ? [] : [[key, cut.get(key)]]) : [[key, of]],
    ),
  )
}

function below(holder: unknown, step: string): [string, unknown][] {
  if (typeof holder !== 'object' || holder === null) return []
  return Object.entries(holder).filter(([key]) => key === step || (step === '*' && Array.isArray(holder)))
}
