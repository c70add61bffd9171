import { Field, FormDialog } from '../controls/form.tsx';
import {
  CreateProjectDocument,
  type ProjectFieldsFragment as Project,
  UpdateProjectDocument,
} from '../generated/documents.ts';
import { useMutation } from '../query.ts';
import { linkTo } from '../router.ts';

/** The dialog that creates a project, and then shows it. */
export function CreateProject({ onClose }: { onClose: () => void }) {
  const create = useMutation(CreateProjectDocument);
  const submit = async ({ title = '', description = '' }: Readonly<Record<string, string>>) => {
    const { createProject } = await create({ input: { title, description } });
    onClose();
    if (createProject) location.hash = linkTo(createProject.project.name);
  };
  return (
    <FormDialog title="Create a project" action="Create the project" onSubmit={submit} onClose={onClose}>
      <p>Apps and wallets are created in it.</p>
      <Fields />
    </FormDialog>
  );
}

type EditProjectProps = { readonly project: Project; onUpdated: () => void; onClose: () => void };

/** The dialog that changes the title and the description of a project. */
export function EditProject({ project, onUpdated, onClose }: EditProjectProps) {
  const { name, title, description } = project;
  const update = useMutation(UpdateProjectDocument, true);
  const submit = async (values: Readonly<Record<string, string>>) => {
    const before: Readonly<Record<string, string>> = { title, description };
    const changes = Object.entries(values).filter(([field, value]) => value !== before[field]);
    if (changes.length > 0) {
      await update({ input: { name, ...Object.fromEntries(changes) } });
      onUpdated();
    }
    onClose();
  };
  return (
    <FormDialog title="Edit the project" action="Save" onSubmit={submit} onClose={onClose}>
      <Fields title={title} description={description} />
    </FormDialog>
  );
}

function Fields({ title = '', description = '' }) {
  return (
    <>
      <Field name="title" label="Title">
        {(control) => <input {...control} defaultValue={title} autocomplete="off" />}
      </Field>
      <Field name="description" label="Description">
        {(control) => <textarea {...control} rows={3} defaultValue={description} />}
      </Field>
    </>
  );
}
