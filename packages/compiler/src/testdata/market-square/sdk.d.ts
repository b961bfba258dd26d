// Types of the project market-square, for createClient<MarketSquare>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface MarketSquare {
  entities: {
    listing: {
      record: {
        id: string;
        title: string;
        description: string | null;
        price: number;
        status: "draft" | "active" | "sold";
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        description?: string | null;
        price: number;
        status?: "draft" | "active" | "sold";
        created_by?: string | null;
      };
      update: {
        title?: string;
        description?: string | null;
        price?: number;
        status?: "draft" | "active" | "sold";
        created_by?: string | null;
      };
      where: {
        id?: string;
        title?: string;
        description?: string;
        price?: number;
        status?: "draft" | "active" | "sold";
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
    };
    inquiry: {
      record: {
        id: string;
        listing_id: string;
        name: string;
        email: string;
        message: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        listing_id: string;
        name: string;
        email: string;
        message: string;
      };
      update: {
        listing_id?: string;
        name?: string;
        email?: string;
        message?: string;
      };
      where: {
        id?: string;
        listing_id?: string;
        name?: string;
        email?: string;
        message?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin")[];
    created_at: string;
    updated_at: string;
    version: number;
  };
}
