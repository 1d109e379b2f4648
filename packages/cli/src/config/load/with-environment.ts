import type { IssueList } from '../issues/issue-list.ts'
import { type Path, pathText } from '../issues/issue-text.ts'
import { isCode } from '../routes/is-code.ts'
import { isPlainObject } from '../shape/collections.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What is known of a configuration's variables once they are filled in. */
export interface Filled {
  /** Texts that had variables, as they stand in the file, by the text of their path. */
  readonly references: Map<string, string>
  /** What the environment gave. */
  readonly given: Set<string>
}

/** How deep a configuration may nest. */
export const maxDepth = 64

/**
 * Data with `${NAME}` and `${NAME:-text}` filled in, and `$${` as `${`. A variable that is not set is an issue. What code
 * has made is left as it is, and so is an object in which nothing is to be filled in.
 */
export function withEnvironment(
  value: unknown,
  env: Environment,
  issues: IssueList,
  filled: Filled,
): unknown {
  /** Objects that hold the one that is looked at: code can make a circle. */
  const around: object[] = []

  const fill = (given: unknown, path: Path): unknown => {
    if (typeof given === 'string') return given.includes('${') ? fillText(given, path) : given
    if (typeof given !== 'object' || given === null || isCode(given)) return given
    if (!Array.isArray(given) && !isPlainObject(given)) return given
    if (around.includes(given) || around.length >= maxDepth) {
      const got = around.includes(given) ? 'a circular reference' : `more than ${maxDepth} levels`
      issues.add(path, { got, expected: `at most ${maxDepth} levels` })
      return undefined
    }
    around.push(given)
    const result = fillAll(given, path)
    around.pop()
    return result
  }

  const fillAll = (given: object, path: Path): unknown => {
    const isList = Array.isArray(given)
    const before: readonly (readonly [string | number, unknown])[] = isList
      ? Array.from(given, (each: unknown, at) => [at, each] as const)
      : Object.entries(given)
    const after = before.map(([key, each]) => [key, fill(each, [...path, key])] as const)
    if (after.every(([, each], at) => each === before[at]![1])) return given
    return isList ? after.map(([, each]) => each) : Object.fromEntries(after)
  }

  const fillText = (text: string, path: Path): string => {
    let refers = false
    let isReported = false
    const result = text.replaceAll(
      // Nothing that is looked for holds another beginning: a text of many would be gone through again for each.
      /\$\$\{|\$\{([^${}:]*)(?::-((?:[^$}]|\$(?!\{))*))?\}|\$\{/g,
      (whole, name: string | undefined, other: string | undefined) => {
        if (whole === '$${') return '${'
        refers = true
        if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) {
          if (!isReported)
            issues.add(path, {
              got: 'an invalid reference after `${`',
              expected: `a reference, such as \${NAME} or \${NAME:-text}`,
              fix: 'Write $${ for a literal ${.',
            })
          isReported = true
          return whole
        }
        const found = Object.hasOwn(env, name) ? env[name] : undefined
        if (found !== undefined && (found !== '' || other === undefined)) {
          filled.given.add(found)
          return found
        }
        if (other !== undefined) return other
        issues.add(path, {
          got: `\${${name}}, which is not set`,
          expected: 'an environment variable that is set',
          fix: `Set ${name}, or add a default: \${${name}:-text}.`,
        })
        return whole
      },
    )
    if (refers) filled.references.set(pathText(path), text)
    return result
  }

  return fill(value, [])
}
