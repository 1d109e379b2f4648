/**
 * A tool of the Responses API that other vendors get as a function. `function`: a function, perhaps of a namespace. `custom`: a
 * tool with one text as its input. The others have item types of their own.
 */
export interface NamedTool {
  readonly kind: 'function' | 'custom' | 'local_shell' | 'shell' | 'apply_patch' | 'tool_search'
  /** The name that the caller gave it, without its namespace. */
  readonly name: string
  readonly namespace?: string
}

/** The tools of a request, by the names under which other vendors know them. A call of any other name is of a function. */
export type ToolNames = ReadonlyMap<string, NamedTool>
