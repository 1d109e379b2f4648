export type Path = readonly (string | number)[]

const plain = /^[A-Za-z_][\w-]*$/

/** As people read it: `model_list[0].litellm_params`, `["a.b"]` for a key that could be misread. */
export function pathText(path: Path): string {
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`
      if (!plain.test(key)) return `[${JSON.stringify(key)}]`
      return at === 0 ? key : `.${key}`
    })
    .join('')
}

/** The same for all items of a list: `model_list[].litellm_params`. */
export function pathPattern(path: Path): string {
  return pathText(path).replaceAll(/\[\d+\]/g, '[]')
}
