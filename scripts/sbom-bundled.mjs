// What a package has in its bundle is no dependency of it, and so in no bill that pnpm writes.

/** Adds to a bill what the package has in its bundle: the packages of other bills, with all that is in those. */
export function withBundled(bill, others) {
  const components = new Map(
    [
      ...bill.components,
      ...others.flatMap(({ metadata, components }) => [metadata.component, ...components]),
    ].map(component => [component['bom-ref'], component]),
  )
  const own = bill.metadata.component['bom-ref']
  const dependsOn = new Map()
  for (const { ref, dependsOn: refs } of [bill, ...others].flatMap(({ dependencies }) => dependencies))
    dependsOn.set(ref, new Set([...(dependsOn.get(ref) ?? []), ...refs]))
  dependsOn.set(
    own,
    new Set([...(dependsOn.get(own) ?? []), ...others.map(({ metadata }) => metadata.component['bom-ref'])]),
  )
  return {
    ...bill,
    components: [...components.values()],
    dependencies: [...dependsOn].map(([ref, refs]) => ({ ref, dependsOn: [...refs].sort() })),
  }
}

/** A bill of one installed package without dependencies, by its package.json. */
export function billOf({ name, version, description, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const component = {
    type: 'library',
    name,
    version,
    purl,
    'bom-ref': purl,
    description,
    licenses: [{ license: { id: license } }],
  }
  return { metadata: { component }, components: [], dependencies: [{ ref: purl, dependsOn: [] }] }
}

/** The packages of the workspace that are in the bundle of the command line. */
export function bundledPackages({ devDependencies }) {
  return Object.keys(devDependencies).filter(
    name => name.startsWith('@sluice/') && name !== '@sluice/testing',
  )
}
