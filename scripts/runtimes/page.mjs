import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run.mjs'

/** What makes the gateway in a snippet: the cases need another one, with a vendor and limits. */
const making = /const gateway = createGateway\(\{\n(?: .*\n)*\}\)\n/

/** A snippet of docs/runtimes.md: as it stands in the page, but for the gateway and the port. */
export function snippet(name, { port, upstream }, options = {}) {
  const page = readFileSync(join(root, 'docs', 'runtimes.md'), 'utf8')
  const code = new RegExp(`^\`\`\`ts ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1]
  if (code === undefined) throw new Error(`docs/runtimes.md has no snippet '${name}'`)
  if (!making.test(code)) throw new Error(`the snippet '${name}' makes no gateway that could be replaced`)
  const made = `import { runtimeGateway } from './gateway.mjs'
const gateway = runtimeGateway('${upstream}', ${JSON.stringify(options)})
`
  return code.replace(making, () => made).replaceAll('3000', String(port))
}
