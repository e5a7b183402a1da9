import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { expect } from 'chai';
import { parse } from 'yaml';

/** What one expression asks Prometheus for. */
export interface Question {
  /** Where it stands. */
  readonly where: string;
  readonly metrics: readonly {
    readonly name: string;
    /** The labels that are compared, and with what where that is one text. */
    readonly labels: readonly { readonly name: string; readonly text: string | null }[];
  }[];
  /** The labels that the answer is grouped or named by. */
  readonly grouping: readonly string[];
}

interface AlertFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}
interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

export function alerts(): readonly (Question & { readonly alert: string })[] {
  const { groups } = parse(readFileSync('docs/alerts.yaml', 'utf8')) as AlertFile;
  return groups
    .flatMap(({ rules }) => rules)
    .map(({ alert, expr, for: pending = '0s', labels, annotations, ...more }) => {
      // Prometheus reads none of the rules where it does not know a word of one.
      expect(more, alert).to.deep.equal({});
      expect(pending, alert).to.match(/^\d+[smh]$/);
      expect(labels, alert).to.have.all.keys('severity');
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      const named = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(
        ([, name = '']) => name,
      );
      return { alert, ...question(`alert ${alert}`, expr, named) };
    });
}

export function dashboard(): readonly Question[] {
  const text = readFileSync('docs/grafana-dashboard.json', 'utf8');
  const { schemaVersion, panels, templating } = JSON.parse(text) as Dashboard;
  expect(schemaVersion, 'Grafana 10').to.be.at.least(38);
  const names = templating.list.map(({ name }) => name);
  const used = [...text.matchAll(/\$\{?(?!__)(\w+)/g)].map(([, name = '']) => name);
  expect(names, 'its variables').to.have.members([...new Set(used)]);
  const choices = templating.list
    .filter(({ type }) => type === 'query')
    .map(({ name, definition = '' }) => {
      const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(definition) ?? [];
      return question(`variable ${name}`, selector, [label]);
    });
  const shown = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
      return question(`panel ${title}`, expr.replaceAll('$__rate_interval', '5m'), named);
    }),
  );
  return [...choices, ...shown];
}

function question(where: string, expression: string, named: readonly string[]): Question {
  const metrics: { name: string; labels: { name: string; text: string | null }[] }[] = [];
  const grouping = [...named];
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter: (node) => {
      if (node.type.isError) expect.fail(`${where}: ${expression} is no PromQL at ${node.from}.`);
      if (node.name === 'VectorSelector') {
        const name = node.node.getChild('Identifier');
        metrics.push({ name: name ? textOf(name) : '', labels: [] });
      }
      if (node.name === 'UnquotedLabelMatcher') {
        const [, name = '', operator, text = ''] = /^(\w+)\s*(\S+?)\s*"(.*)"$/.exec(textOf(node)) ?? [];
        metrics.at(-1)?.labels.push({ name, text: operator === '=' ? text : null });
      }
      if (node.name === 'GroupingLabels')
        grouping.push(...node.node.getChildren('LabelName').map((label) => textOf(label)));
    },
  });
  expect(metrics, `${where} asks for nothing`).not.to.be.empty;
  return { where, metrics, grouping };
}
