import type { FunctionDefinition, JsonObject } from '../../protocol/chat.ts'

/** A tool of the protocol that the client runs itself: its parameters are known, and its definition has only a type. */
interface ClientTool {
  readonly description: string
  readonly parameters: JsonObject
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const numbers = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'integer' },
  description,
})

const clientTools: Readonly<Record<string, ClientTool>> = {
  bash_: {
    description: 'Runs a command in a persistent bash session, and returns its output.',
    parameters: {
      type: 'object',
      properties: {
        command: text('The command to run. Required unless restart is true.'),
        restart: { type: 'boolean', description: 'Whether to restart the session.' },
      },
    },
  },
  text_editor_: {
    description: 'Views, creates and edits text files.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
        path: text('The path of the file or directory.'),
        view_range: numbers('For view: the first and the last line, from 1; -1 is the end of the file.'),
        file_text: text('For create: the content of the file.'),
        old_str: text('For str_replace: the text to replace. It must occur exactly once.'),
        new_str: text('For str_replace: the new text.'),
        insert_line: {
          type: 'integer',
          description: 'For insert: the line after which to insert; 0 is the start.',
        },
        insert_text: text('For insert: the text to insert.'),
      },
      required: ['command', 'path'],
    },
  },
  memory_: {
    description: 'Stores and reads notes in files below /memories, which outlive the conversation.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
        path: text('The path of the file or directory, below /memories.'),
        view_range: numbers('For view: the first and the last line, from 1.'),
        file_text: text('For create: the content of the file.'),
        old_str: text('For str_replace: the text to replace.'),
        new_str: text('For str_replace: the new text.'),
        insert_line: { type: 'integer', description: 'For insert: the line after which to insert.' },
        insert_text: text('For insert: the text to insert.'),
        old_path: text('For rename: the present path.'),
        new_path: text('For rename: the new path.'),
      },
      required: ['command'],
    },
  },
  computer_: {
    description: 'Controls the mouse, keyboard and screen of a computer.',
    parameters: {
      type: 'object',
      properties: {
        action: {
          type: 'string',
          enum: [
            'screenshot',
            'key',
            'type',
            'mouse_move',
            'left_click',
            'right_click',
            'middle_click',
            'double_click',
            'triple_click',
            'left_click_drag',
            'left_mouse_down',
            'left_mouse_up',
            'scroll',
            'hold_key',
            'wait',
            'cursor_position',
            'zoom',
          ],
        },
        coordinate: numbers('The position on the screen in pixels: x and y.'),
        start_coordinate: numbers('For left_click_drag: the position at which it begins.'),
        text: text('For type: the text. For key and hold_key: the keys.'),
        scroll_direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
        scroll_amount: { type: 'integer', description: 'For scroll: the number of clicks of the wheel.' },
        duration: { type: 'number', description: 'For wait and hold_key: seconds.' },
        region: numbers('For zoom: the left, top, right and bottom edge of the region in pixels.'),
      },
      required: ['action'],
    },
  },
}

/** Returns the function for a typed tool that the client runs itself; `undefined` for any other. */
export function clientFunction(type: string, name: string, tool: JsonObject): FunctionDefinition | undefined {
  const prefix = Object.keys(clientTools).find(each => type.startsWith(each))
  if (prefix === undefined) return undefined
  const { description, parameters } = clientTools[prefix]!
  const { display_width_px: width, display_height_px: height } = tool
  const hasSize = typeof width === 'number' && typeof height === 'number'
  const size = hasSize ? ` The screen has ${width} x ${height} pixels.` : ''
  return { name, description: description + size, parameters }
}
