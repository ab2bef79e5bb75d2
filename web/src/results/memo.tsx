/** A component that is rendered again only where `same` says that it must be. */
import { Component, type ComponentType, type FunctionComponent } from "preact";

export function memo<P extends object>(
  Inner: FunctionComponent<P>,
  same: (a: P, b: P) => boolean,
): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !same(this.props as P, next);
    }
    override render(props: P) {
      return <Inner {...props} />;
    }
  } as unknown as ComponentType<P>;
}
