import { EditDialog, TextField, useEdited } from '../controls/edit-dialog.tsx';
import { Field, FormDialog } from '../controls/form.tsx';
import {
  CreateProjectDocument,
  DeleteProjectDocument,
  type ProjectFieldsFragment as Project,
  ProjectDocument,
  UpdateProjectDocument,
} from '../generated/documents.ts';
import { nodeOf, useMutation } from '../query.ts';
import { request } from '../request.ts';
import { linkTo } from '../router.ts';
import { notify } from '../screen.tsx';
import { quoted } from '../texts.ts';

/** The dialog that creates a project, and then shows it. */
export function CreateProject({ onClose }: { onClose: () => void }) {
  const create = useMutation(CreateProjectDocument);
  const submit = async ({ title = '', description = '' }: Readonly<Record<string, string>>) => {
    const { createProject } = await create({ input: { title, description } });
    onClose();
    if (!createProject) return;
    const link = linkTo(createProject.project.name);
    notify(`Created ${quoted(title)}.`, link);
    location.hash = link;
  };
  return (
    <FormDialog
      title="Create a project"
      action="Create the project"
      busy="Creating…"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>Apps and wallets are created in a project.</p>
      <Field name="title" label="Title">
        {(control) => <input {...control} autocomplete="off" />}
      </Field>
      <Field name="description" label="Description">
        {(control) => <textarea {...control} rows={3} />}
      </Field>
    </FormDialog>
  );
}

type ProjectProps = { readonly project: Project; onClose: () => void };

/** The dialog that changes a project. */
export function EditProject({ project, onClose }: ProjectProps) {
  const update = useMutation(UpdateProjectDocument, true);
  const edited = useEdited({
    kind: 'project',
    resource: project,
    fields: ['title', 'description', 'reference'],
    sent: (values, field) => (field === 'reference' ? values.reference || null : values[field]),
    shown: (values, field) => values[field] ?? '',
    read: async () => nodeOf(await request(ProjectDocument, { name: project.name })),
    update: async (input) => (await update({ input })).updateProject?.project,
    onUpdated: ({ title }) => notify(`Saved ${quoted(title)}.`),
    onClose,
  });
  return (
    <EditDialog title="Edit the project" onSubmit={() => edited.save()} onClose={onClose}>
      <TextField edited={edited} name="title" label="Title" />
      <TextField edited={edited} name="description" label="Description" rows={3} />
      <TextField edited={edited} name="reference" label="Reference" />
    </EditDialog>
  );
}

/** The dialog that deletes an empty project, and then shows the others. */
export function DeleteProject({ project: { name, title }, onClose }: ProjectProps) {
  const remove = useMutation(DeleteProjectDocument);
  const submit = async () => {
    await remove({ input: { name } });
    onClose();
    notify(`Deleted ${quoted(title)}.`, '#/');
    location.replace('#/');
  };
  return (
    <FormDialog action="Delete the project" busy="Deleting…" isDangerous onSubmit={submit} onClose={onClose}>
      <p>
        This permanently deletes <strong>{title}</strong>. It must not have any apps, wallets or valid account
        tokens, or be the first project of the account.
      </p>
    </FormDialog>
  );
}
