import type { FunctionDefinition, JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonMember } from '../../protocol/json-members.ts'
import type { NamedTool } from './tool-names.ts'

/** A tool of the protocol that the client runs itself: its parameters are known, and its definition has only a type. */
interface BuiltInTool {
  readonly kind: Exclude<NamedTool['kind'], 'function' | 'custom' | 'tool_search'>
  readonly definition: Omit<FunctionDefinition, 'name'>
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const count = (description: string): JsonObject => ({ type: 'integer', description })
const texts = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description })

const builtInTools: Readonly<Record<BuiltInTool['kind'], BuiltInTool>> = {
  local_shell: {
    kind: 'local_shell',
    definition: {
      description: 'Runs a command on the computer of the user, and returns its output.',
      parameters: {
        type: 'object',
        properties: {
          command: texts('The program and its arguments.'),
          working_directory: text('The directory in which to run it.'),
          timeout_ms: count('The maximum time in milliseconds.'),
          env: {
            type: 'object',
            additionalProperties: { type: 'string' },
            description: 'Environment variables.',
          },
          user: text('The user as whom to run it.'),
        },
        required: ['command'],
      },
    },
  },
  shell: {
    kind: 'shell',
    definition: {
      description: 'Runs shell commands, and returns their output.',
      parameters: {
        type: 'object',
        properties: {
          commands: texts('The commands. They may run at the same time.'),
          timeout_ms: count('The maximum time in milliseconds.'),
          max_output_length: count('The maximum number of characters of output to return.'),
        },
        required: ['commands'],
      },
    },
  },
  apply_patch: {
    kind: 'apply_patch',
    definition: {
      description: 'Creates, changes or deletes one file.',
      parameters: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
          path: text('The path of the file, relative to the workspace.'),
          diff: text('Of a file that is created or changed: a diff in the V4A format.'),
        },
        required: ['type', 'path'],
      },
    },
  },
}

/** Returns the function for a typed tool that the client runs itself; `undefined` for any other. */
export function builtInFunction(type: string, tool: JsonObject): BuiltInTool | undefined {
  if (!Object.hasOwn(builtInTools, type)) return undefined
  const known = builtInTools[type as BuiltInTool['kind']]
  return known.kind === 'shell' && runsInContainer(jsonMember(tool, 'environment')) ? undefined : known
}

/** Whether a shell is one of the vendor. */
function runsInContainer(environment: JsonValue | undefined): boolean {
  const type = jsonMember(environment, 'type')
  return typeof type === 'string' && type.startsWith('container')
}
