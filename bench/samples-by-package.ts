import type { Profiler } from 'node:inspector/promises'

const eventLoop = 'event loop, outside of any function'
const idle = 'idle'

/**
 * Counts the samples of a profile by package. What is built into V8 and Node counts as its caller's; samples of an idle process do
 * not count.
 */
export function samplesByPackage({ nodes, samples = [] }: Profiler.Profile): Map<string, number> {
  const packages = new Map<number, string>()
  const name = (node: Profiler.ProfileNode, caller: string) => {
    const own = packageOf(node.callFrame) ?? caller
    packages.set(node.id, own)
    for (const id of node.children ?? []) name(byId.get(id)!, own)
  }
  const byId = new Map(nodes.map(node => [node.id, node]))
  name(nodes[0]!, eventLoop)
  const counts = new Map<string, number>()
  for (const sample of samples) {
    const own = packages.get(sample)!
    if (own !== idle) counts.set(own, (counts.get(own) ?? 0) + 1)
  }
  return counts
}

/** `undefined` for what is built into V8 and Node: it is its caller's. */
function packageOf({ functionName, url }: Profiler.ProfileNode['callFrame']): string | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return eventLoop
  if (functionName === '(idle)') return idle
  if (url.startsWith('node:')) return 'Node.js'
  const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url) ?? []
  const [, own] = /packages\/([^/]+)\//.exec(url) ?? []
  if (dependency === undefined && own !== undefined) return `@sluice/${own}`
  return dependency ?? (url === '' ? undefined : 'the server of the benchmark')
}
