import type { JsonValue } from '../../protocol/chat.ts'
import { jsonMember } from '../../protocol/json-members.ts'
import type { NamedTool } from './tool-names.ts'

/** What an item of the input is, other than a message or reasoning. */
export type ItemKind =
  | { readonly does: 'call' | 'result'; readonly tool: NamedTool['kind']; readonly prefix: string }
  | { readonly does: 'adds tools' | 'hosted'; readonly prefix?: string }

const hosted: ItemKind = { does: 'hosted' }

/** The types of items that vendors and clients of the protocol send, by their names. `prefix`: what their ids begin with. */
export const itemKinds: Readonly<Record<string, ItemKind>> = {
  function_call: { does: 'call', tool: 'function', prefix: 'fc' },
  function_call_output: { does: 'result', tool: 'function', prefix: 'fc' },
  custom_tool_call: { does: 'call', tool: 'custom', prefix: 'ctc' },
  custom_tool_call_output: { does: 'result', tool: 'custom', prefix: 'ctc' },
  tool_search_call: { does: 'call', tool: 'tool_search', prefix: 'tsc' },
  tool_search_output: { does: 'result', tool: 'tool_search', prefix: 'tso' },
  local_shell_call: { does: 'call', tool: 'local_shell', prefix: 'lsh' },
  local_shell_call_output: { does: 'result', tool: 'local_shell', prefix: 'lsh' },
  shell_call: { does: 'call', tool: 'shell', prefix: 'sh' },
  shell_call_output: { does: 'result', tool: 'shell', prefix: 'sh' },
  apply_patch_call: { does: 'call', tool: 'apply_patch', prefix: 'apc' },
  apply_patch_call_output: { does: 'result', tool: 'apply_patch', prefix: 'apc' },
  additional_tools: { does: 'adds tools' },
  web_search_call: hosted,
  file_search_call: hosted,
  code_interpreter_call: hosted,
  image_generation_call: hosted,
  computer_call: hosted,
  computer_call_output: hosted,
  mcp_list_tools: hosted,
  mcp_approval_request: hosted,
  mcp_approval_response: hosted,
  mcp_call: hosted,
  program: hosted,
  program_output: hosted,
  configuration_update: hosted,
  compaction_trigger: hosted,
}

/** Returns the type of an item. One without a type is a message if it has a role, and a reference if it has only an id. */
export function itemType(item: JsonValue): string {
  const type = jsonMember(item, 'type') ?? undefined
  if (typeof type === 'string') return type
  if (type !== undefined) return ''
  if (jsonMember(item, 'role') !== undefined) return 'message'
  return typeof jsonMember(item, 'id') === 'string' ? 'item_reference' : ''
}
