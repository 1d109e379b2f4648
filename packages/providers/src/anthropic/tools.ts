import type { FunctionTool, JsonObject, Tool, ToolChoice } from '@sluice/core'
import type { ClaudeModel } from '../claude/models.ts'
import { holdsMap, supportedSchema } from '../claude/structured-outputs.ts'
import { inputSchema } from '../claude/tools.ts'
import { cacheControl } from '../conversation/extensions.ts'
import { type Adjusting, cannotSend } from '../parameters/adjusting.ts'

/** A tool of the Messages API. */
export interface ApiTool {
  readonly name: string
  readonly description?: string
  readonly input_schema: JsonObject
  readonly strict?: true
  readonly cache_control?: JsonObject
}

/**
 * Functions as tools, with their schemas whole. A strict one's schema is made such as the vendor takes it; where
 * the model has no strict tools, or strictness would leave an object empty, it is not strict, and that is told.
 *
 * Throws `GatewayError` (400) for a custom tool, and for a schema whose root is no plain object.
 */
export function apiTools(tools: readonly Tool[], model: ClaudeModel, adjusting: Adjusting): ApiTool[] {
  return tools.map((tool, index) => {
    if (tool.type !== 'function') {
      const param = `tools[${index}].type`
      throw cannotSend(
        param,
        `Unsupported value: '${param}' is 'custom', and this model takes only functions.`,
      )
    }
    return apiTool(tool, `tools[${index}]`, model, adjusting)
  })
}

function apiTool(tool: FunctionTool, path: string, model: ClaudeModel, adjusting: Adjusting): ApiTool {
  const { name, description, parameters, strict } = tool.function
  const param = `${path}.function.parameters`
  const schema = inputSchema(parameters, param)
  const mark = cacheControl(tool) ?? cacheControl(tool.function)
  const shared = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(mark === undefined ? {} : { cache_control: mark }),
  }
  if (strict !== true) return { ...shared, input_schema: schema }
  if (!model.structuredOutputs) {
    adjusting.drop(`${path}.function.strict`, 'this model has no strict tools')
    return { ...shared, input_schema: schema }
  }
  if (parameters !== undefined && holdsMap(schema)) {
    adjusting.drop(`${path}.function.strict`, 'an object in its schema does not name its members')
    return { ...shared, input_schema: schema }
  }
  const { schema: closed, changed } = supportedSchema(schema)
  if (changed.length > 0) adjusting.map(param, `strict tools take no ${changed.join(', ')} as given`)
  return { ...shared, input_schema: closed, strict: true }
}

/** The tools that may be called: those that a `tool_choice` of `allowed_tools` names. Throws `GatewayError` (400) where it names none. */
export function allowedTools(tools: ApiTool[], choice: ToolChoice | undefined): ApiTool[] {
  if (typeof choice !== 'object' || choice.type !== 'allowed_tools') return tools
  const names = new Set(choice.allowed_tools.tools.map(nameOf))
  const left = tools.filter(({ name }) => names.has(name))
  if (left.length > 0) return left
  throw cannotSend(
    'tool_choice',
    "Unsupported value: 'tool_choice' allows no function that is among the 'tools'.",
  )
}

function nameOf({ function: definition, name }: JsonObject): unknown {
  return typeof definition === 'object' && definition !== null ? (definition as JsonObject).name : name
}
