import type { JsonValue } from '@sluice/core'
import { generateValue } from './generate-value.ts'
import type { Hints } from './hints.ts'
import { isObject } from './json.ts'
import { Refused } from './refused.ts'
import type { Callable } from './tool-choice.ts'
import { Unsatisfiable } from './unsatisfiable.ts'

/**
 * What a tool is called with: for a function the JSON text of arguments made from its schema, for a custom
 * tool the user's text or a text that its grammar allows. Throws `Refused` (400) where none can be made.
 */
export function toolInput(tool: Callable, text: string, hints: Hints): string {
  try {
    if (tool.form === 'custom') return customInput(tool, text, hints)
    const value =
      tool.parameters === undefined
        ? {}
        : generateValue(asObject(tool.parameters), { hints, optional: 'spoken of' })
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof Unsatisfiable)) throw error
    throw new Refused({
      status: 400,
      message: `Invalid schema for ${tool.form === 'custom' ? 'tool' : 'function'} '${tool.name}': ${error.message}`,
      param: tool.form === 'custom' ? `${tool.param}.format` : `${tool.param}.parameters`,
    })
  }
}

/** Arguments are an object, whatever the schema leaves open. */
function asObject(parameters: JsonValue): JsonValue {
  return isObject(parameters) && parameters.type === undefined
    ? { type: 'object', ...parameters }
    : parameters
}

function customInput(tool: Callable, text: string, hints: Hints): string {
  const grammar = tool.format?.grammar
  if (!isObject(grammar)) return text
  if (grammar.syntax !== 'regex') {
    throw new Unsatisfiable(
      '',
      `the local provider cannot write a text for a grammar in '${String(grammar.syntax).slice(0, 40)}'`,
    )
  }
  const pattern = `^(?:${String(grammar.definition)})$`
  const value = generateValue({ type: 'string', pattern }, { hints, optional: 'spoken of' })
  return typeof value === 'string' ? value : text
}
