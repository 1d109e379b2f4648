// An MCP server with one tool, for agents: it looks up a password. It speaks JSON-RPC over its standard streams.
import { createInterface } from 'node:readline'

const tool = {
  name: 'lookup',
  description: 'Looks up the password of a person.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'vault', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { name } }) => ({
    content: [{ type: 'text', text: `The password of ${name} is swordfish.` }],
  }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = results[method]?.(params) ?? {}
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
}
