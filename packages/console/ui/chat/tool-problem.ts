import type { ChatTool } from './chat-types.ts'

/** Says why the tools cannot be sent; `undefined` if they can. */
export function toolProblem(tools: readonly ChatTool[]): string | undefined {
  for (const { name, parameters } of tools) {
    if (!/^[\w-]{1,64}$/.test(name.trim())) {
      return name.trim() === ''
        ? 'A tool has no name.'
        : `The name of the tool ${name.trim()} must have 1 to 64 letters, digits, _ and -.`
    }
    const problem = schemaProblem(parameters)
    if (problem !== undefined) return `The parameters of the tool ${name.trim()} are ${problem}`
  }
  const names = tools.map(({ name }) => name.trim())
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined ? undefined : `Two tools have the name ${twice}.`
}

/** Says what a text is if it is no JSON Schema of an object; `undefined` if it is one. */
export function schemaProblem(text: string): string | undefined {
  let schema: unknown
  try {
    schema = JSON.parse(text)
  } catch (error) {
    return `no valid JSON: ${(error as Error).message}`
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'no JSON object.'
  const { type } = schema as { type?: unknown }
  return type === 'object' ? undefined : 'no schema of an object: "type" must be "object".'
}
