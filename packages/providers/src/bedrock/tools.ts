import type { FunctionTool, JsonObject, Tool } from '@sluice/core'
import { holdsMap, supportedSchema } from '../claude/structured-outputs.ts'
import { inputSchema } from '../claude/tools.ts'
import { cacheControl } from '../conversation/extensions.ts'
import { type Adjusting, cannotSend } from '../parameters/adjusting.ts'
import { type CachePoint, cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'

/** A tool of Converse. */
export interface ToolBlock {
  readonly toolSpec: {
    readonly name: string
    readonly description?: string
    readonly inputSchema: { readonly json: JsonObject }
    readonly strict?: true
  }
}

/** A function of the caller's, and the mark that stands after it. */
export interface CallerTool {
  readonly block: ToolBlock
  readonly marks: readonly CachePoint[]
}

/**
 * Functions as tools, with their schemas whole. A strict one's schema is made such as the model takes it; where
 * the model has no strict tools, or strictness would leave an object empty, it is not strict, and that is told.
 *
 * Throws `GatewayError` (400) for a custom tool, and for a schema whose root is no object.
 */
export function callerTools(
  tools: readonly Tool[],
  model: BedrockModel,
  adjusting: Adjusting,
): readonly CallerTool[] {
  return tools.map((tool, index) => {
    const path = `tools[${index}]`
    if (tool.type === 'function') return callerTool(tool, path, model, adjusting)
    throw cannotSend(
      `${path}.type`,
      `Unsupported value: '${path}.type' is 'custom', and this model takes only functions.`,
    )
  })
}

function callerTool(tool: FunctionTool, path: string, model: BedrockModel, adjusting: Adjusting): CallerTool {
  const { name, description, parameters, strict } = tool.function
  const param = `${path}.function.parameters`
  const asked = toolSchema(parameters, param, model.claude !== undefined)
  const mark = cacheControl(tool) ?? cacheControl(tool.function)
  if (mark !== undefined && model.cachePoints !== 'everywhere') {
    adjusting.drop(`${path}.cache_control`, 'this model caches no tools')
  }
  const marks = model.cachePoints === 'everywhere' ? cachePoints(mark, model) : []
  const toolOf = (json: JsonObject) => ({
    // An empty description is refused.
    toolSpec: { name, ...(description ? { description } : {}), inputSchema: { json } },
  })
  if (strict !== true) return { block: toolOf(asked), marks }
  const looseBecause = whyLoose(parameters, model)
  if (looseBecause !== undefined) {
    adjusting.drop(`${path}.function.strict`, looseBecause)
    return { block: toolOf(asked), marks }
  }
  const { schema, changed } = supportedSchema(asked)
  if (changed.length > 0) adjusting.map(param, `strict tools take no ${changed.join(', ')} as given`)
  return { block: { toolSpec: { ...toolOf(schema).toolSpec, strict: true } }, marks }
}

function whyLoose(parameters: JsonObject | undefined, model: BedrockModel): string | undefined {
  if (!model.structuredOutputs) return 'this model has no strict tools'
  const empties = parameters !== undefined && holdsMap(parameters)
  return empties ? 'an object in its schema does not name its members' : undefined
}

/**
 * A schema as a tool's `inputSchema`: whole, with `type: 'object'` where none was given. Throws `GatewayError`
 * (400) for a root of another type; for Claude also for one that is combined of others.
 *
 * @param param - where it stands in the caller's request: `tools[0].function.parameters`.
 */
export function toolSchema(schema: JsonObject | undefined, param: string, claude: boolean): JsonObject {
  if (claude || schema === undefined) return inputSchema(schema, param)
  const { type } = schema
  if (type === 'object') return schema
  if (type === undefined) return { type: 'object', ...schema }
  throw cannotSend(
    param,
    `Unsupported value: '${param}' is of type ${JSON.stringify(type)?.slice(0, 60)} at its root, and this model takes only 'object' there.`,
  )
}
